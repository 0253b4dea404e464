import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { plural, visibleText } from '../../text/index.js'
import {
  type ExecutableFiles,
  executableFiles,
  executableModule,
  executableProject,
  type TrustCheck,
  TrustStore,
} from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { terminalAsker, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'trust'>): Promise<number> {
  return withStore(context, async (store, home) => {
    const book = new TrustStore(store, home.settings.dataDirectory)
    if (args.file === undefined) return list(context, book, options.json === true)
    const found = await filesOf(context, args.file)
    if (options.remove) {
      const isRemoved = await book.revoke(found.project, 'local')
      if (options.json) context.json({ project: found.project, removed: isRemoved })
      else context.out(`${found.project} ${isRemoved ? 'is no longer trusted' : 'was not trusted'}`)
      return EXIT.ok
    }
    if (options.hash !== undefined) await book.require(found, { trust: options.hash, by: 'local' })
    const check = await book.check(found)
    if (options.json) {
      context.json({ ...found, ...check })
      return check.isTrusted ? EXIT.ok : EXIT.needsHuman
    }
    if (!check.isTrusted && !context.isInteractive) return describeUntrusted(context, found, check)
    if (!check.isTrusted) await ask(context, book, found, check)
    context.out(`${visibleText(found.project)}: ${plural(Object.keys(found.files).length, 'file')} trusted`)
    return EXIT.ok
  })
}

async function ask(
  context: CommandContext,
  book: TrustStore,
  found: ExecutableFiles,
  check: TrustCheck,
): Promise<void> {
  const difference = (file: string) => book.difference(found, file)
  if (!(await terminalAsker(context).trust({ found, check, difference })))
    throw new SignalboxError('E_UNTRUSTED', 'the files are not trusted')
  await book.grant(found, { by: 'local', how: 'asked' })
}

/**
 * For a workflow, the files that it runs; for a module, the modules that it imports; for a
 * directory, the files that agents would obey there.
 */
async function filesOf(context: CommandContext, file: string): Promise<ExecutableFiles> {
  try {
    const path = resolve(context.cwd, file)
    if (statSync(path).isDirectory()) return await executableProject(path)
    return /\.[cm]?js$/.test(path) ? await executableModule(path) : await executableFiles(path)
  } catch (error) {
    throw new SignalboxError('E_INPUT', `cannot read ${file}: ${(error as Error).message}`)
  }
}

function describeUntrusted(
  context: CommandContext,
  { project, hash }: ExecutableFiles,
  { added, changed }: TrustCheck,
): number {
  context.out(`${visibleText(project)} is not trusted in its present state`)
  for (const file of added) context.out(`  new      ${visibleText(file)}`)
  for (const file of changed) context.out(`  changed  ${visibleText(file)}`)
  context.out(`hash ${hash}`)
  context.note('inspect the files, then run: signalbox trust … --hash <hash>')
  return EXIT.needsHuman
}

async function list(context: CommandContext, book: TrustStore, isJson: boolean): Promise<number> {
  const records = await book.list()
  if (isJson) for (const record of records) context.json(record)
  else if (records.length === 0) context.out('no trusted projects')
  else
    for (const { path, at, by, files } of records)
      context.out(
        `${visibleText(path)}  ${plural(Object.keys(files).length, 'file')}  ${context.style('dim', `by ${by}, ${new Date(at).toISOString().slice(0, 16)}`)}`,
      )
  return EXIT.ok
}
