/**
 * What each agent needs to start and to sign in, as data. Paths below `~` that do not exist are
 * left out. A new agent: one row.
 */
export interface SandboxProfile {
  read: readonly string[]
  write: readonly string[]
  /** Credentials, by name. */
  env: readonly string[]
  hosts: readonly string[]
}

const NPM = ['registry.npmjs.org']
const GIT = { read: ['~/.gitconfig', '~/.config/git'] }

const PROFILES: Readonly<Record<string, SandboxProfile>> = {
  claude: {
    read: GIT.read,
    write: ['~/.claude', '~/.claude.json', '~/.cache/claude'],
    env: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'DISABLE_AUTOUPDATER',
    ],
    hosts: ['api.anthropic.com', 'console.anthropic.com', 'claude.ai', ...NPM],
  },
  codex: {
    read: GIT.read,
    write: ['~/.codex'],
    env: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'CODEX_API_KEY'],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...NPM],
  },
  gemini: {
    read: GIT.read,
    write: ['~/.gemini'],
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL'],
    hosts: ['generativelanguage.googleapis.com', 'oauth2.googleapis.com', 'cloudcode-pa.googleapis.com', ...NPM],
  },
  opencode: {
    read: GIT.read,
    write: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode', '~/.cache/opencode'],
    env: [
      'OPENCODE_CONFIG',
      'OPENCODE_CONFIG_DIR',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'XDG_CONFIG_HOME',
      'XDG_DATA_HOME',
      'XDG_STATE_HOME',
      'XDG_CACHE_HOME',
    ],
    hosts: ['opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com', ...NPM],
  },
  qwen: {
    read: GIT.read,
    write: ['~/.qwen'],
    env: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
    hosts: ['dashscope.aliyuncs.com', 'chat.qwen.ai', ...NPM],
  },
  copilot: {
    read: GIT.read,
    write: ['~/.copilot'],
    env: ['GITHUB_TOKEN', 'GH_TOKEN'],
    hosts: ['api.github.com', 'api.githubcopilot.com', ...NPM],
  },
  aider: {
    read: [...GIT.read, '~/.aider.conf.yml'],
    write: ['~/.aider'],
    env: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    hosts: ['api.anthropic.com', 'api.openai.com'],
  },
}
const OTHERS: SandboxProfile = { read: GIT.read, write: [], env: [], hosts: [] }

export function profileOf(agent: string): SandboxProfile {
  return PROFILES[agent] ?? OTHERS
}
