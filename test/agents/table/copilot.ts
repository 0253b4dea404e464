import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const copilot: AgentUnderTest = {
  name: 'copilot',
  package: '@github/copilot',
  version: '1.0.102',
  program: 'copilot',
  acp: 'itself',
  prepare({ home, project }) {
    mkdirSync(join(home, '.copilot'), { recursive: true })
    const config = { trusted_folders: [project], trustedFolders: [project] }
    writeFileSync(join(home, '.copilot', 'config.json'), JSON.stringify(config))
  },
  env: ({ model }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: 'dummy-not-a-key',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_MODEL: 'test-model',
  }),
  args: ['--no-auto-update', '--disable-builtin-mcps'],
  shell: command => ({
    name: 'bash',
    input: { command, description: 'Run the command of the test', mode: 'sync', initial_wait: 30 },
  }),
  denialContinues: false,
}
