import { existsSync } from 'node:fs'
import { ownProgram } from '../process/index.js'
import type { AgentAdapter } from './adapter.js'
import { demoHooks, wireDemoHooks } from './demo-hooks.js'
import { demoTranscript } from './demo-transcript.js'
import { demoHeadless } from './headless/demo.js'

/** The scripted agent that ships: a real program in a terminal, for the demo and tests. */
export const demoAgent: AgentAdapter = {
  name: 'demo',
  title: 'Demo agent',
  pack: 'demo',
  programs: ['signalbox-demo'],
  compact: '/compact',
  reports: { osc7501: true, hooks: true, transcript: true, events: false },
  hooks: demoHooks,
  transcript: demoTranscript,
  headless: demoHeadless,
  install: 'it ships with Signalbox; run `npm run build` in a checkout',
  locate() {
    const script = ownProgram('demo-agent/main')
    return existsSync(script)
      ? { found: true, file: process.execPath, prefix: [script] }
      : { found: false, looked: script }
  },
  acp: ({ file, prefix }, { args }) => ({ file, args: [...prefix, '--acp', ...args] }),
  fork: id => ['--fork', id],
  exitId(rows) {
    const found = rows.map(row => /^ {2}signalbox-demo --resume (\S+)$/.exec(row.trimEnd())?.[1])
    return found.find(id => id !== undefined) ?? null
  },
  interactive({ file, prefix }, { args, resume, newSessionId, wiring }) {
    const identity = resume ? ['--resume', resume] : ['--session-id', newSessionId]
    const hooks = wiring && !args.includes('--settings') ? ['--settings', wireDemoHooks(wiring)] : []
    return { file, args: [...prefix, ...identity, ...hooks, ...args], env: {}, agentSessionId: resume ?? newSessionId }
  },
}
