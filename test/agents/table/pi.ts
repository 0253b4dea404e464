import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

const SETTINGS = { defaultProvider: 'fake', defaultModel: 'test-model', compaction: { keepRecentTokens: 100 } }

export const pi: AgentUnderTest = {
  name: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '1.5.2',
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
    writeFileSync(join(directory, 'settings.json'), JSON.stringify(SETTINGS))
  },
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  args: ['--offline'],
  shell: command => ({ name: 'bash', input: { command } }),
  asksNothing: true,
  denialContinues: false,
  themes: {
    names: ['system', 'dark', 'light'],
    choose: ({ home }, theme) =>
      writeFileSync(join(home, '.pi', 'agent', 'settings.json'), JSON.stringify({ ...SETTINGS, theme })),
  },
}
