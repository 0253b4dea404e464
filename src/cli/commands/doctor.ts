import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { examine } from '../doctor/checks.js'
import { examineSecurity } from '../doctor/security.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  const findings =
    options.security === true ? await examineSecurity(context) : await examine(context, { fix: options.fix === true })
  if (options.json) context.json(findings)
  else
    for (const { check, level, message, next } of findings) {
      const mark = {
        ok: context.style('green', '✓'),
        note: context.style('blue', '·'),
        warning: context.style('yellow', '!'),
        error: context.style('red', '✗'),
      }[level]
      context.out(`${mark} ${check.padEnd(12)} ${message}${next ? context.style('dim', `  → ${next}`) : ''}`)
    }
  return findings.some(finding => finding.level === 'error') ? EXIT.failed : EXIT.ok
}
