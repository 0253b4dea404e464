import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { finding, type GivenFinding } from '../../pipelines/index.js'
import type { CommandContext } from '../context.js'

const FINDINGS_MAX = 50

/** Findings of a person, from a file or standard input (`-`). @throws SignalboxError `E_INPUT` */
export function readFindings({ cwd }: Pick<CommandContext, 'cwd'>, file: string): GivenFinding[] {
  try {
    const text = readFileSync(file === '-' ? 0 : resolve(cwd, file), 'utf8')
    return z.array(finding).min(1).max(FINDINGS_MAX).parse(JSON.parse(text))
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? error.issues.map(({ path, message }) => `${path.join('.') || 'the list'}: ${message}`).join('; ')
        : (error as Error).message
    throw new SignalboxError('E_INPUT', `${file} has no findings: ${reason}`, {
      next: 'write a list: [{ "file": "src/a.ts", "line": 3, "text": "what is wrong" }]',
    })
  }
}
