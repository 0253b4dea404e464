import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const goose: AgentUnderTest = {
  name: 'goose',
  package: '@aaif/goose',
  version: '0.20.1',
  program: 'goose',
  acpCommand: ['goose', 'acp'],
  prepare({ home }) {
    mkdirSync(join(home, '.config', 'goose'), { recursive: true })
    const extension = { type: 'builtin', name: 'developer', enabled: true, bundled: true, timeout: 300 }
    // JSON is YAML.
    const config = { GOOSE_TELEMETRY_ENABLED: false, extensions: { developer: extension } }
    writeFileSync(join(home, '.config', 'goose', 'config.yaml'), JSON.stringify(config))
  },
  env: ({ model }) => ({
    GOOSE_PROVIDER: 'openai',
    GOOSE_MODEL: 'test-model',
    GOOSE_MODE: 'approve',
    GOOSE_DISABLE_KEYRING: '1',
    OPENAI_API_KEY: 'dummy-not-a-key',
    OPENAI_HOST: model,
  }),
  shell: command => ({ name: 'shell', input: { command } }),
  cancelsLate: true,
  denialContinues: true,
  clientTerminals: true,
}
