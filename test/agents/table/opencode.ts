import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentUnderTest } from '../agent-under-test.js'

/** All that version 1.18.33 ships with, and `system`: the colours of the terminal. */
const THEMES =
  'system opencode aura ayu carbonfox catppuccin catppuccin-frappe catppuccin-macchiato cobalt2 cursor dracula everforest flexoki github gruvbox kanagawa lucent-orng material matrix mercury monokai nightowl nord one-dark orng osaka-jade palenight rosepine solarized synthwave84 tokyonight vercel vesper zenburn'.split(
    ' ',
  )

export const opencode: AgentUnderTest = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  acp: 'itself',
  prepare({ home, model }) {
    mkdirSync(join(home, '.config', 'opencode'), { recursive: true })
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fake',
      options: { baseURL: `${model}/v1`, apiKey: 'dummy-not-a-key' },
      models: {
        'test-model': { name: 'Test Model', tool_call: true, limit: { context: 128_000, output: 8_192 } },
        'test-small': { name: 'Test Small' },
      },
    }
    const config = {
      autoupdate: false,
      share: 'disabled',
      model: 'fake/test-model',
      small_model: 'fake/test-small',
      provider: { fake: provider },
      permission: { bash: 'ask', edit: 'ask' },
    }
    writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(config))
  },
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  shell: command => ({ name: 'bash', input: { command, description: 'Run the command of the test' } }),
  denialContinues: false,
  themes: {
    names: THEMES,
    choose: ({ home }, theme) =>
      writeFileSync(join(home, '.config', 'opencode', 'tui.json'), JSON.stringify({ theme })),
  },
}
