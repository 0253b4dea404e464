import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { acpProgram } from './acp-program.js'
import type { AgentAdapter, AgentEnvironment, SignIn } from './adapter.js'
import { codexHookArguments, codexHooks } from './codex-hooks.js'
import { codexTranscript } from './codex-transcript.js'
import { exitIdAfter } from './exit-id.js'
import { codexHeadless } from './headless/codex.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { isUuid, type SessionArguments, sessionArguments } from './own-session.js'

const SESSION: SessionArguments = {
  begin: null,
  resume: id => ['resume', id],
  options: ['resume', 'fork'],
  subcommands: [
    'exec',
    'e',
    'review',
    'login',
    'logout',
    'mcp',
    'plugin',
    'app-server',
    'doctor',
    'apply',
    'a',
    'cloud',
  ],
  isId: isUuid,
}

/**
 * Since 0.150 the terminal program may be only a client of a server that all its instances share,
 * started wherever the first one was: hooks would then run there, without this session's
 * environment, and ending the session would not end its tools. With any override on the command
 * line Codex runs its own server; this override also keeps it from starting the shared one.
 */
const OWN_SERVER = ['-c', 'features.daemon_auto_start=false']
/**
 * In the alternate screen only the last screenful of an answer can be read, and streamed text is
 * drawn over itself. Inline, every row is drawn once and then scrolls away, as in any terminal, and
 * an attached person can scroll back.
 */
const INLINE = '--no-alt-screen'

export const codexAgent: AgentAdapter = {
  name: 'codex',
  title: 'Codex',
  pack: 'codex',
  programs: ['codex'],
  compact: '/compact',
  install: 'npm install -g @openai/codex, or see https://developers.openai.com/codex/cli',
  version: { args: ['--version'], pattern: /^codex-cli (\d+\.\d+\.\d+\S*)/m },
  reports: { osc7501: true, hooks: true, transcript: true, events: false },
  hooks: codexHooks,
  transcript: codexTranscript,
  headless: codexHeadless,
  acp: (_, start) => {
    const program = acpProgram(['codex-acp'], start)
    // By default a second model reviews what needs a permission. Here people decide, as they do in
    // its terminal.
    return program && { ...program, env: { INITIAL_AGENT_MODE: start.env.INITIAL_AGENT_MODE ?? 'workspace-write' } }
  },
  acpInstall: 'npm install -g @agentclientprotocol/codex-acp',
  locate: environment => locateProgram(['codex'], environment, ['~/.local/bin/codex']),
  signIn,
  interactive(location, start) {
    const { wiring, args } = start
    const session = sessionArguments(start, SESSION)
    const opensWindow = !session.isOwn || args[0] === 'resume' || args[0] === 'fork'
    const ours = [...OWN_SERVER, ...(wiring ? codexHookArguments(wiring) : []), ...inline(args)]
    return {
      file: location.file,
      args: [...location.prefix, ...(opensWindow ? ours : []), ...session.args, ...args],
      env: {},
      agentSessionId: args[0] === 'fork' ? null : session.id,
    }
  },
  fork: id => ['fork', id],
  exitId: rows => exitIdAfter(rows, ['codex', 'resume'], isUuid),
}

function inline(args: readonly string[]): string[] {
  return args.includes(INLINE) ? [] : [INLINE]
}

/** An account or a key is stored in one file; a custom provider may need neither. */
function signIn({ env }: AgentEnvironment): SignIn {
  const home = movableDirectory(env, 'CODEX_HOME', '.codex')
  const file = join(home, 'auth.json')
  if (existsSync(file)) return { state: 'yes', because: `${file} exists` }
  const variable = ['CODEX_API_KEY', 'OPENAI_API_KEY'].find(name => env[name] !== undefined && env[name] !== '')
  if (variable) return { state: 'unknown', because: `${variable} is set, ${file} does not exist`, next: 'codex login' }
  if (existsSync(join(home, 'config.toml')))
    return { state: 'unknown', because: `${file} does not exist; a provider may be configured`, next: 'codex login' }
  return { state: 'no', because: `${file} does not exist`, next: 'codex login' }
}
