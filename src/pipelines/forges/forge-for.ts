import { runCommand } from '../../process/index.js'
import type { PipelineGit } from '../pipeline-git.js'
import type { Forge } from './forge.js'
import { githubForge } from './github.js'
import { gitlabForge } from './gitlab.js'

/** The forge that the address of a remote names; null without such a remote. */
export async function forgeOfRemote(git: PipelineGit, remote: string): Promise<Forge['name'] | null> {
  const { code, stdout } = await git.git.try(['remote', 'get-url', remote])
  if (code !== 0) return null
  return /gitlab/i.test(stdout) ? 'gitlab' : 'github'
}

const TIMEOUT_MS = 60_000

/** A forge outside a run, for what is looked up before a run starts. */
export function forgeFor(name: Forge['name'], env: Readonly<Record<string, string | undefined>>, cwd: string): Forge {
  const options = { cwd, env: { ...env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' }, timeoutMs: TIMEOUT_MS }
  if (name === 'github') return githubForge(args => runCommand('gh', [...args], options))
  return gitlabForge(args => runCommand('glab', [...args], options))
}
