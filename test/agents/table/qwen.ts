import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const qwen: AgentUnderTest = {
  name: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  // It does not run on the oldest Node that Signalbox supports.
  also: [`node-${process.platform}-${process.arch}@22`],
  program: 'qwen',
  acp: 'itself',
  prepare({ home, project }) {
    mkdirSync(join(home, '.qwen'), { recursive: true })
    const settings = {
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      // After a turn it asks the model for suggestions and memories, but the tests count requests.
      ui: { enableFollowupSuggestions: false },
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
    }
    writeFileSync(join(home, '.qwen', 'settings.json'), JSON.stringify(settings))
    writeFileSync(join(home, '.qwen', 'trustedFolders.json'), JSON.stringify({ [project]: 'TRUST_FOLDER' }))
  },
  env: ({ model }) => ({
    OPENAI_API_KEY: 'dummy-not-a-key',
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_MODEL: 'test-model',
  }),
  args: ['--approval-mode', 'default'],
  shell: command => ({
    name: 'run_shell_command',
    input: { command, description: 'Run the command of the test', is_background: false },
  }),
  denialContinues: false,
}
