import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { plural, visibleText } from '../../text/index.js'
import { type ExecutableFiles, executableFiles, executableProject, TrustStore } from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { askTrust } from '../graphs/require-trust.js'
import { withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const book = new TrustStore(store, home.settings.dataDirectory)
    if (args.file === undefined) return list(context, book, options.json === true)
    const found = await filesOf(context, String(args.file))
    if (options.remove) {
      const isTaken = await book.revoke(found.project, 'local')
      if (options.json) context.json({ project: found.project, removed: isTaken })
      else context.out(isTaken ? `${found.project} is not trusted any more` : `${found.project} was not trusted`)
      return EXIT.ok
    }
    if (options.hash !== undefined) await book.require(found, { trust: String(options.hash), by: 'local' })
    const check = await book.check(found)
    if (options.json) {
      context.json({ ...found, ...check })
      return check.isTrusted ? EXIT.ok : EXIT.needsHuman
    }
    if (!check.isTrusted && context.isInteractive) await askTrust(context, book, found, check)
    else if (!check.isTrusted) return describeOpen(context, found, check)
    context.out(`${visibleText(found.project)}: ${plural(Object.keys(found.files).length, 'file')} may run`)
    return EXIT.ok
  })
}

/** Of a workflow what it runs; of a directory what its project has started for agents that work there. */
async function filesOf(context: CommandContext, file: string): Promise<ExecutableFiles> {
  try {
    const path = resolve(context.cwd, file)
    return statSync(path).isDirectory() ? await executableProject(path) : await executableFiles(path)
  } catch (error) {
    throw new SignalboxError('E_INPUT', `${file} cannot be read: ${(error as Error).message}`)
  }
}

function describeOpen(
  context: CommandContext,
  { project, hash }: ExecutableFiles,
  { added, changed }: { added: string[]; changed: string[] },
): number {
  context.out(`${visibleText(project)} is not trusted as it is`)
  for (const file of added) context.out(`  new      ${visibleText(file)}`)
  for (const file of changed) context.out(`  changed  ${visibleText(file)}`)
  context.out(`hash ${hash}`)
  context.note('look at the files, then: signalbox trust … --hash <hash>')
  return EXIT.needsHuman
}

async function list(context: CommandContext, book: TrustStore, isJson: boolean): Promise<number> {
  const records = await book.list()
  if (isJson) for (const record of records) context.json(record)
  else if (records.length === 0) context.out('nothing is trusted yet')
  else
    for (const { path, at, by, files } of records)
      context.out(
        `${visibleText(path)}  ${plural(Object.keys(files).length, 'file')}  ${context.style('dim', `by ${by}, ${new Date(at).toISOString().slice(0, 16)}`)}`,
      )
  return EXIT.ok
}
