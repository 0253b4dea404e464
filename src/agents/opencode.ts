import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '../process/index.js'
import type { AgentAdapter, InteractiveStart } from './adapter.js'
import { exitIdAfter } from './exit-id.js'
import { opencodeHeadless } from './headless/opencode.js'
import { movableDirectory } from './home-directory.js'
import { writeSessionFile } from './hook-command.js'
import { locateProgram } from './locate-program.js'
import { type OpenCodeServer, opencodeEvents, SERVER_FILE } from './opencode-events.js'
import { opencodeTranscript } from './opencode-transcript.js'
import { type SessionArguments, sessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: null,
  resume: id => ['--session', id],
  options: ['--session', '-s', '--continue', '-c', '--fork'],
  subcommands: [
    'completion',
    'acp',
    'mcp',
    'attach',
    'run',
    'debug',
    'providers',
    'auth',
    'agent',
    'upgrade',
    'uninstall',
    'serve',
    'web',
    'models',
    'stats',
    'export',
    'import',
    'github',
    'pr',
    'session',
    'plugin',
    'plug',
    'db',
  ],
  isId: isSessionId,
}
/** If the person passes server options of their own, ours are omitted. */
const SERVER_OPTIONS = ['--port', '--hostname', '--mdns', '--mdns-domain', '--cors']

/**
 * OpenCode in a terminal. Its terminal contains a server that listens on a given port: it reports
 * there and accepts answers to its requests, while its own dialog stays answerable. A password for
 * this session keeps others out.
 */
export const opencodeAgent: AgentAdapter = {
  name: 'opencode',
  title: 'OpenCode',
  pack: 'opencode',
  programs: ['opencode'],
  compact: '/compact',
  install: 'npm install -g opencode-ai, or see https://opencode.ai/docs/#install',
  update: ['upgrade'],
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*)$/m },
  reports: { osc7501: false, hooks: false, transcript: true, events: true },
  locate: environment => locateProgram(['opencode'], environment, ['~/.opencode/bin/opencode']),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
      directory: join(movableDirectory(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode'),
      files: ['auth.json'],
      next: 'run opencode auth login',
      elsewhere:
        'no key is set; without one it uses a free provider, or one from its configuration, which is not checked',
    }),
  interactive(location, start) {
    const session = sessionArguments(start, SESSION)
    const server = serverOf(start)
    return {
      file: location.file,
      args: [
        ...location.prefix,
        ...session.args,
        ...(server ? ['--port', String(server.port), '--hostname', '127.0.0.1'] : []),
        ...start.args,
      ],
      env: server ? { OPENCODE_SERVER_PASSWORD: server.password, OPENCODE_SERVER_USERNAME: 'opencode' } : {},
      agentSessionId: session.id,
    }
  },
  transcript: opencodeTranscript,
  headless: opencodeHeadless,
  fork: id => ['--session', id, '--fork'],
  acp: ({ file, prefix }, { args }) => ({ file, args: [...prefix, 'acp', ...args] }),
  events: opencodeEvents,
  exitId: rows => exitIdAfter(rows, ['opencode', '-s'], isSessionId),
}

function serverOf({ args, wiring }: InteractiveStart): OpenCodeServer | null {
  const isSubcommand = args[0] !== undefined && SESSION.subcommands.includes(args[0])
  const isTheirs = args.some(arg => SERVER_OPTIONS.includes(arg.split('=', 1)[0]!))
  if (wiring === null || isSubcommand || isTheirs) return null
  const server = { port: freePort(), password: randomBytes(24).toString('base64url') }
  writeSessionFile(wiring, SERVER_FILE, `${JSON.stringify(server)}\n`)
  return server
}

function isSessionId(word: string): boolean {
  return /^ses_[A-Za-z0-9]{10,40}$/.test(word)
}
