import { existsSync } from 'node:fs'
import { SignalboxError } from '../errors/index.js'
import { ownProgram } from '../process/index.js'
import type { AgentAdapter } from './adapter.js'
import { directHeadless } from './headless/direct.js'

/** A model behind an OpenAI-compatible URL, for runs. It has no terminal. */
export const directAgent: AgentAdapter = {
  name: 'direct',
  title: 'Direct model (OpenAI-compatible URL)',
  pack: null,
  programs: [],
  reports: { osc7501: false, hooks: false, transcript: false, events: false },
  install: 'it ships with Signalbox; run `npm run build` in a checkout',
  headless: directHeadless,
  locate() {
    const script = ownProgram('agents/headless/direct-main')
    return existsSync(script)
      ? { found: true, file: process.execPath, prefix: [script] }
      : { found: false, looked: script }
  },
  interactive() {
    throw new SignalboxError('E_INPUT', 'the agent "direct" has no terminal', {
      next: 'use it in runs: signalbox oneshot --agent direct --endpoint <url> --model <name>',
    })
  },
}
