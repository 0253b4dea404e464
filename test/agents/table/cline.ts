import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'
import { installed } from '../installed.js'

const QUIET = { CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' }

export const cline: AgentUnderTest = {
  name: 'cline',
  package: 'cline',
  version: '3.0.65',
  program: 'cline',
  prepare({ home, project, model }) {
    const words = ['auth', '-p', 'openai-compatible', '-k', 'dummy-not-a-key', '-m', 'test-model', '-b', `${model}/v1`]
    const env = { ...process.env, ...QUIET, HOME: home }
    execFileSync(join(installed(this), this.program), words, { cwd: project, env, stdio: 'ignore', timeout: 90_000 })
    const notices = join(home, '.cline', 'data', 'settings', 'cli-notices.json')
    writeFileSync(notices, JSON.stringify({ shown: { 'cline-cli-desktop-launch': true } }))
  },
  env: () => QUIET,
  args: ['--auto-approve', 'false'],
  shell: command => ({ name: 'run_commands', input: { commands: [command] } }),
  denialContinues: true,
}
