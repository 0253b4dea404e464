import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const gemini: AgentUnderTest = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'gemini',
  acp: 'itself',
  prepare({ home, project }) {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    const settings = {
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
    }
    writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
    writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [project]: 'TRUST_FOLDER' }))
  },
  env: ({ model }) => ({ GEMINI_API_KEY: 'dummy-not-a-key', GOOGLE_GEMINI_BASE_URL: model }),
  shell: command => ({ name: 'run_shell_command', input: { command, description: 'Run the command of the test' } }),
  write: (path, text) => ({ name: 'write_file', input: { file_path: path, content: text } }),
  // After a cancelled turn it writes its context and the first prompt as one message. When it
  // resumes, it drops every message that starts with its context (0.61: isIgnoredUserContent).
  forgets: 'first prompt',
  denialContinues: false,
}
