import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const pi: AgentUnderTest = {
  name: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '1.5.0',
  // It does not run on the oldest Node that Signalbox supports.
  also: [`node-${process.platform}-${process.arch}@22`],
  // The registry lacks some of its dependencies, and its bundle loads none of them.
  isBundle: true,
  program: 'pi',
  prepare({ home, model }) {
    const directory = join(home, '.pi', 'agent')
    mkdirSync(directory, { recursive: true })
    const provider = {
      baseUrl: `${model}/v1`,
      api: 'openai-completions',
      apiKey: 'dummy-not-a-key',
      models: [{ id: 'test-model', name: 'Test Model', reasoning: false, contextWindow: 128_000, maxTokens: 8_192 }],
    }
    writeFileSync(join(directory, 'models.json'), JSON.stringify({ providers: { fake: provider } }))
    const settings = { defaultProvider: 'fake', defaultModel: 'test-model', compaction: { keepRecentTokens: 100 } }
    writeFileSync(join(directory, 'settings.json'), JSON.stringify(settings))
  },
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  args: ['--offline'],
  shell: command => ({ name: 'bash', input: { command } }),
  asksNothing: true,
  denialContinues: false,
}
