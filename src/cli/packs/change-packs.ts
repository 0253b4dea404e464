import { join } from 'node:path'
import { fetchPack, installPack, readSources, removePack } from '../../agents/packs/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { plural, visibleText } from '../../text/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

interface Change {
  subject: string | undefined
  user: string
  options: InputOf<'packs'>['options']
}

/** `packs install` and `packs remove`. */
export function changePacks(context: CommandContext, action: 'install' | 'remove', change: Change): Promise<number> {
  return action === 'install' ? install(context, change) : remove(context, change)
}

async function install(context: CommandContext, { subject, user, options }: Change): Promise<number> {
  if (subject === undefined)
    throw new SignalboxError('E_INPUT', 'packs install needs a pack file or a git address', {
      next: 'signalbox packs install ./crush.toml',
    })
  const pack = await fetchPack(subject)
  if (options.sha256 !== undefined && options.sha256.toLowerCase() !== pack.sha256)
    throw new SignalboxError('E_PACK', `the file's SHA-256 is ${pack.sha256}, not ${options.sha256}`, {
      next: 'nothing was installed; check where the file comes from',
    })
  const [shipped, own] = await readSources(pack.agent, { user })
  const before = own.find(source => source.file === join(user, pack.agent, pack.name))
  const origin = visibleText(`${pack.source}${pack.commit ? ` at ${pack.commit.slice(0, 12)}` : ''}`)
  if (!options.json) {
    context.out(`pack for ${pack.agent} from ${origin}`)
    context.out(`  sha256 ${pack.sha256}, ${plural(pack.text.split('\n').length, 'line')}`)
    context.out(
      before
        ? `  replaces ${before.file}${before.text === pack.text ? ' (the same content)' : ''}`
        : shipped.length > 0
          ? '  extends the shipped pack'
          : '  there is no shipped pack for this agent',
    )
  }
  if (!options.yes) {
    if (!context.isInteractive)
      throw new SignalboxError('E_NEEDS_HUMAN', 'nothing was installed: there is no terminal to ask in', {
        next: 'check the pack, then add --yes',
      })
    if (!(await askYes('Install it?'))) {
      context.out('Nothing was installed.')
      return EXIT.ok
    }
  }
  const file = await installPack(pack, user)
  const { agent, sha256, commit } = pack
  if (options.json) context.json({ agent, file, sha256, commit, source: pack.source })
  else
    context.out(
      `installed as ${file}; running sessions use it at once. signalbox packs check ${agent} runs its fixtures`,
    )
  return EXIT.ok
}

async function remove(context: CommandContext, { subject, user, options }: Change): Promise<number> {
  if (subject === undefined)
    throw new SignalboxError('E_INPUT', 'packs remove needs the name of an agent', {
      next: 'signalbox packs lists them',
    })
  const files = await removePack(subject, user)
  if (options.json) context.json({ agent: subject, removed: files })
  else if (files.length === 0) context.out(`no pack for ${subject} was installed; your own files stay`)
  else for (const file of files) context.out(`removed ${file}`)
  return EXIT.ok
}
