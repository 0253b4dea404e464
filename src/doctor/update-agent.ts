import { type FoundAgent, loadAgent } from '../agents/index.js'
import { SignalboxError } from '../errors/index.js'
import { runCommand } from '../process/index.js'
import { visibleText } from '../text/index.js'

const UPDATE_MS = 10 * 60_000
const VERSION_MS = 15_000

export interface UpdateOptions {
  env: NodeJS.ProcessEnv
  /** From `agents.<name>.command` of the settings. */
  configuredCommand: string | null
}

/**
 * Updates an agent in the way it was installed: as an npm package, else by its own command. Running
 * sessions keep the program they were started with.
 * @returns a sentence about the old and the new version.
 * @throws SignalboxError `E_AGENT_MISSING`, `E_STATE`
 */
export async function updateAgent(name: string, { env, configuredCommand }: UpdateOptions): Promise<string> {
  const adapter = await loadAgent(name)
  const location = adapter.locate({ env, cwd: '/', configuredCommand })
  if (!location.found)
    throw new SignalboxError('E_AGENT_MISSING', `${adapter.title} is not installed here`, { next: adapter.install })
  const readVersion = async () => {
    if (!adapter.version) return null
    const args = [...location.prefix, ...adapter.version.args]
    const { stdout } = await runCommand(location.file, args, { cwd: '/', env, timeoutMs: VERSION_MS })
    return adapter.version.pattern.exec(stdout)?.[1] ?? null
  }
  const command = updateCommand(location, adapter.update ?? null)
  if (!command)
    throw new SignalboxError('E_STATE', `cannot update ${adapter.title}: how it was installed is unknown`, {
      next: adapter.install,
    })
  const before = await readVersion().catch(() => null)
  const { code, stdout, stderr } = await runCommand(command.file, command.args, { cwd: '/', env, timeoutMs: UPDATE_MS })
  if (code !== 0) {
    const last = visibleText(`${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? '', { escapes: 'remove' })
    throw new SignalboxError('E_STATE', `updating ${adapter.title} failed: ${last.slice(0, 300)}`, {
      next: `try it in a terminal: ${adapter.install}`,
    })
  }
  const after = await readVersion().catch(() => null)
  if (after === null) return `${adapter.title} was updated.`
  return before === after
    ? `${adapter.title} is at ${after}, as before.`
    : `${adapter.title}: ${before ?? '?'} → ${after}.`
}

/** Null if it was installed in neither way. Pure. */
export function updateCommand(
  { file, prefix }: Pick<FoundAgent, 'file' | 'prefix'>,
  own: readonly string[] | null,
): { file: string; args: string[] } | null {
  const program = prefix.at(-1) ?? file
  const found = /^(.*)\/lib\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(program)
  if (found) return { file: 'npm', args: ['install', '--global', '--prefix', found[1] || '/', `${found[2]}@latest`] }
  return own ? { file, args: [...prefix, ...own] } : null
}
