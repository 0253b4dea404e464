import { findExecutable } from '../process/index.js'
import type { AgentAdapter } from './adapter.js'

/** Any other program: started unchanged, its screen read by structure alone. */
export function genericAgent(command: string): AgentAdapter {
  return {
    name: 'generic',
    title: command,
    pack: null,
    programs: [command],
    reports: { osc7501: false, hooks: false, transcript: false, events: false },
    install: `install ${command}, or give its path`,
    locate({ env, cwd }) {
      const file = findExecutable(command, { path: env.PATH, cwd })
      return file ? { found: true, file, prefix: [] } : { found: false, looked: command }
    },
    interactive({ file }, { args }) {
      return { file, args: [...args], env: {}, agentSessionId: null }
    },
  }
}
