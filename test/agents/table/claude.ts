import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

const KEY = 'sk-ant-dummy'
const VERSION = '2.1.328'

export const claude: AgentUnderTest = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  version: VERSION,
  program: 'claude',
  acp: { package: '@agentclientprotocol/claude-agent-acp', version: '0.99.1', program: 'claude-agent-acp' },
  prepare({ home, project }) {
    mkdirSync(join(home, '.claude'), { recursive: true })
    const trusted = { allowedTools: [], hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    const state = {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: VERSION,
      lastReleaseNotesSeen: VERSION,
      firstStartVersion: VERSION,
      numStartups: 5,
      theme: 'dark',
      hasSeenAutoDefaultNotice: true,
      officialMarketplaceAutoInstallAttempted: true,
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [project]: trusted },
    }
    writeFileSync(join(home, '.claude.json'), JSON.stringify(state))
  },
  env: ({ home, model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  args: ['--permission-mode', 'manual'],
  shell: command => ({ name: 'Bash', input: { command, description: 'Run the command of the test' } }),
  denialContinues: false,
}
