import { existsSync } from 'node:fs'
import { SignalboxError } from '../errors/index.js'
import { ownProgram } from '../process/index.js'
import type { AgentAdapter } from './adapter.js'
import { directHeadless } from './headless/direct.js'

/** A model behind an OpenAI-compatible address, for runs: Ollama, a gateway, a provider. There is nothing to see of it in a terminal. */
export const directAgent: AgentAdapter = {
  name: 'direct',
  title: 'A model behind an address',
  pack: null,
  programs: [],
  tells: { osc7501: false, hooks: false, transcript: false, events: false },
  install: 'it ships with Signalbox; run `npm run build` in a checkout',
  headless: directHeadless,
  locate() {
    const script = ownProgram('agents/headless/direct-main')
    return existsSync(script)
      ? { found: true, file: process.execPath, prefix: [script] }
      : { found: false, looked: script }
  },
  interactive() {
    throw new SignalboxError('E_INPUT', 'a model behind an address has no terminal', {
      next: 'use it in runs: signalbox oneshot --agent direct --endpoint <url> --model <name>',
    })
  },
}
