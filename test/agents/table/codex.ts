import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

export const codex: AgentUnderTest = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  program: 'codex',
  acp: { package: '@agentclientprotocol/codex-acp', version: '2.6.0', program: 'codex-acp' },
  prepare({ home, project, model }) {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const config = `
model = "gpt-5.5"
model_provider = "fake"
model_reasoning_effort = "medium"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = "${model}/v1"
env_key = "FAKE_MODEL_KEY"
wire_api = "responses"

[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 1

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects."${project}"]
trust_level = "trusted"
`
    writeFileSync(join(home, '.codex', 'config.toml'), config)
  },
  env: () => ({ FAKE_MODEL_KEY: 'dummy-not-a-key' }),
  shell: command => ({
    name: 'exec_command',
    input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'May the test run this?' },
  }),
  // Without a terminal it refuses requests for more permissions.
  shellUnasked: command => ({ name: 'exec_command', input: { cmd: command } }),
  denialContinues: false,
}
