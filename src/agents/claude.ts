import { acpProgram } from './acp-program.js'
import type { AgentAdapter, InteractiveStart } from './adapter.js'
import { claudeHooks, wireClaudeHooks } from './claude-hooks.js'
import { claudeTranscript } from './claude-transcript.js'
import { exitIdAfter } from './exit-id.js'
import { claudeHeadless } from './headless/claude.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { isUuid, type SessionArguments, sessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

/** Variables that are sufficient to sign in, one per provider. */
const KEY_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]
const SESSION: SessionArguments = {
  begin: id => ['--session-id', id],
  resume: id => ['--resume', id],
  options: ['--fork-session', '--session-id', '--resume', '-r', '--continue', '-c', '--from-pr'],
  subcommands: ['agents', 'auth', 'doctor', 'install', 'mcp', 'plugin', 'plugins', 'setup-token', 'update', 'upgrade'],
  isId: isUuid,
}

/** Claude Code in a terminal. The pack's environment selects its renderer. */
export const claudeAgent: AgentAdapter = {
  name: 'claude',
  title: 'Claude Code',
  pack: 'claude',
  programs: ['claude'],
  compact: '/compact',
  install: 'npm install -g @anthropic-ai/claude-code, or see https://code.claude.com/docs/en/setup',
  update: ['update'],
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*) \(Claude Code\)/m },
  reports: { osc7501: true, hooks: true, transcript: true, events: false, marks: ['OSC 9;4'] },
  hooks: claudeHooks,
  transcript: claudeTranscript,
  headless: claudeHeadless,
  acp: (_, start) => acpProgram(['claude-agent-acp', 'claude-code-acp'], start),
  acpInstall: 'npm install -g @agentclientprotocol/claude-agent-acp',
  locate: environment => locateProgram(['claude'], environment, ['~/.local/bin/claude', '~/.claude/local/claude']),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: KEY_VARIABLES,
      directory: movableDirectory(env, 'CLAUDE_CONFIG_DIR', '.claude'),
      files: ['.credentials.json'],
      next: 'run claude and type /login',
      ...(process.platform === 'darwin' && { elsewhere: 'the keychain, which is not checked, may hold an account' }),
    }),
  interactive(location, start) {
    const session = sessionArguments(start, SESSION)
    return {
      file: location.file,
      args: [...location.prefix, ...session.args, ...hookArguments(start), ...start.args],
      env: {},
      agentSessionId: start.args.includes('--fork-session') ? null : session.id,
    }
  },
  fork: id => ['--resume', id, '--fork-session'],
  exitId: rows => exitIdAfter(rows, ['--resume'], isUuid),
}

/** Our `--settings` would replace the person's own: in that case the session runs without hooks. */
function hookArguments({ args, wiring }: InteractiveStart): string[] {
  if (!wiring || args.some(arg => arg === '--settings' || arg.startsWith('--settings='))) return []
  return ['--settings', wireClaudeHooks(wiring)]
}
