import { existsSync } from 'node:fs'
import type { AgentAdapter } from './adapter.js'
import { exitIdAfter } from './exit-id.js'
import { qwenHeadless } from './headless/qwen.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { isUuid, type SessionArguments, sessionArguments } from './own-session.js'
import { qwenHooks, wireQwenHooks } from './qwen-hooks.js'
import { qwenTranscript } from './qwen-transcript.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: id => ['--session-id', id],
  resume: id => ['--resume', id],
  options: ['--session-id', '--resume', '-r', '--continue', '-c', '--fork-session'],
  subcommands: [
    'auth',
    'board',
    'channel',
    'extensions',
    'hooks',
    'mcp',
    'review',
    'sandbox',
    'serve',
    'sessions',
    'update',
  ],
  isId: isUuid,
}
/** Where an administrator keeps defaults for all users; ours would replace them. */
const SYSTEM_DEFAULTS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '/etc/qwen-code/system-defaults.json',
  darwin: '/Library/Application Support/QwenCode/system-defaults.json',
}

/** Qwen Code in a terminal. */
export const qwenAgent: AgentAdapter = {
  name: 'qwen',
  title: 'Qwen Code',
  pack: 'qwen',
  programs: ['qwen'],
  compact: '/compress',
  install: 'npm install -g @qwen-code/qwen-code (it needs Node 22), or see https://qwenlm.github.io/qwen-code-docs/',
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*)$/m },
  reports: { osc7501: false, hooks: true, transcript: true, events: false, marks: ['OSC 9;4'] },
  locate: environment => locateProgram(['qwen'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      directory: movableDirectory(env, 'QWEN_HOME', '.qwen'),
      files: ['oauth_creds.json'],
      next: 'run qwen and type /auth, or set OPENAI_API_KEY',
      elsewhere: 'no key is set; one may be in its settings, which are not checked',
    }),
  interactive(location, start) {
    const session = sessionArguments(start, SESSION)
    const env: Record<string, string> =
      start.wiring && !hasDefaults(start.env) ? { QWEN_CODE_SYSTEM_DEFAULTS_PATH: wireQwenHooks(start.wiring) } : {}
    return {
      file: location.file,
      args: [...location.prefix, ...session.args, ...start.args],
      env,
      agentSessionId: session.id,
    }
  },
  hooks: qwenHooks,
  transcript: qwenTranscript,
  headless: qwenHeadless,
  acp: ({ file, prefix }, { args }) => ({ file, args: [...prefix, '--acp', ...args] }),
  acpReadsItself: true,
  exitId: rows => exitIdAfter(rows, ['qwen', '--resume'], isUuid),
}

/** The machine has system defaults: those stay, and the session runs without hooks. */
function hasDefaults(env: NodeJS.ProcessEnv = {}): boolean {
  return env.QWEN_CODE_SYSTEM_DEFAULTS_PATH !== undefined || existsSync(SYSTEM_DEFAULTS[process.platform] ?? '')
}
