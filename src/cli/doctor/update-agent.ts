import { type FoundAgent, loadAgent } from '../../agents/index.js'
import { SignalboxError } from '../../errors/index.js'
import { runCommand } from '../../process/index.js'
import { visibleText } from '../../text/index.js'

const UPDATE_MS = 10 * 60_000
const VERSION_MS = 15_000

export interface UpdatePlace {
  env: NodeJS.ProcessEnv
  /** From `agents.<name>.command` of the settings. */
  configuredCommand: string | null
}

/**
 * Brings an agent up to date in the way it was installed: as a package of npm where it lies in one, else by its own command. Says what came
 * of it. Sessions that run keep the program they were started with.
 * @throws SignalboxError `E_AGENT_MISSING`, `E_STATE`
 */
export async function updateAgent(name: string, { env, configuredCommand }: UpdatePlace): Promise<string> {
  const adapter = await loadAgent(name)
  const location = adapter.locate({ env, cwd: '/', configuredCommand })
  if (!location.found)
    throw new SignalboxError('E_AGENT_MISSING', `${adapter.title} is not installed here`, { next: adapter.install })
  const ask = async () => {
    if (!adapter.version) return null
    const args = [...location.prefix, ...adapter.version.args]
    const { stdout } = await runCommand(location.file, args, { cwd: '/', env, timeoutMs: VERSION_MS })
    return adapter.version.pattern.exec(stdout)?.[1] ?? null
  }
  const command = updateCommand(location, adapter.update ?? null)
  if (!command)
    throw new SignalboxError('E_STATE', `how ${adapter.title} was installed is not known, so it is not updated`, {
      next: adapter.install,
    })
  const before = await ask().catch(() => null)
  const { code, stdout, stderr } = await runCommand(command.file, command.args, { cwd: '/', env, timeoutMs: UPDATE_MS })
  if (code !== 0) {
    const last = visibleText(`${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? '', { escapes: 'remove' })
    throw new SignalboxError('E_STATE', `updating ${adapter.title} did not work: ${last.slice(0, 300)}`, {
      next: `try it at the terminal: ${adapter.install}`,
    })
  }
  const after = await ask().catch(() => null)
  if (after === null) return `${adapter.title} was updated.`
  return before === after
    ? `${adapter.title} is at ${after}, as before.`
    : `${adapter.title}: ${before ?? '?'} → ${after}.`
}

/** Null where neither way is there. Pure. */
export function updateCommand(
  { file, prefix }: Pick<FoundAgent, 'file' | 'prefix'>,
  own: readonly string[] | null,
): { file: string; args: string[] } | null {
  const program = prefix.at(-1) ?? file
  const found = /^(.*)\/lib\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(program)
  if (found) return { file: 'npm', args: ['install', '--global', '--prefix', found[1] || '/', `${found[2]}@latest`] }
  return own ? { file, args: [...prefix, ...own] } : null
}
