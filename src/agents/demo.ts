import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentAdapter } from './adapter.js'

/** The scripted agent that ships with Signalbox: a real program in a real terminal, for the demo and for tests. */
export const demoAgent: AgentAdapter = {
  name: 'demo',
  title: 'Demo agent',
  pack: 'demo',
  programs: [],
  tells: { osc7501: true, hooks: false, transcript: false, events: false },
  install: 'it ships with Signalbox; run `npm run build` in a checkout',
  locate() {
    const script = fileURLToPath(new URL('../demo-agent/main.js', import.meta.url))
    return existsSync(script)
      ? { found: true, file: process.execPath, prefix: [script] }
      : { found: false, looked: script }
  },
  interactive({ file, prefix }, { args, resume, newSessionId }) {
    const identity = resume ? ['--resume', resume] : ['--session-id', newSessionId]
    return { file, args: [...prefix, ...identity, ...args], env: {}, agentSessionId: resume ?? newSessionId }
  },
}
