import { isAbsolute, join } from 'node:path'
import type { AgentAdapter, TranscriptLookup } from './adapter.js'
import { TranscriptFileReader } from './conversation.js'
import { exitIdAfter } from './exit-id.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { interactiveBySession, isUuid, type SessionArguments } from './own-session.js'
import { PiConversation } from './pi-conversation.js'
import { signInByNames } from './sign-in.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

const SESSION: SessionArguments = {
  // Releases before 1.0 do not support `--session-id`; the id then comes from the name of the
  // transcript.
  begin: null,
  resume: id => ['--session', id],
  options: [
    '--session',
    '--session-id',
    '--session-dir',
    '--resume',
    '-r',
    '--continue',
    '-c',
    '--fork',
    '--no-session',
  ],
  subcommands: ['install', 'remove', 'uninstall', 'update', 'list', 'config', 'auth', 'mcp'],
  isId: isUuid,
}

/** Pi in a terminal. It asks for no permissions; 1.1 and later report their state with OSC 7501. */
export const piAgent: AgentAdapter = {
  name: 'pi',
  title: 'Pi',
  pack: 'pi',
  programs: ['pi'],
  compact: '/compact',
  install: 'npm install -g @earendil-works/pi-coding-agent (it needs Node 22)',
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*)$/m },
  reports: { osc7501: true, hooks: false, transcript: true, events: false, marks: ['OSC 133'] },
  locate: environment => locateProgram(['pi'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_OAUTH_TOKEN',
        'OPENAI_API_KEY',
        'GEMINI_API_KEY',
        'OPENROUTER_API_KEY',
      ],
      directory: agentDirectory(env),
      files: [],
      next: 'run pi and type /login, or set the key of a provider',
      elsewhere: 'no key is set; one may be in auth.json or models.json, which are not checked',
    }),
  interactive: interactiveBySession(SESSION),
  transcript: {
    form: 'lines',
    locate: locateTranscripts,
    open: path => new TranscriptFileReader(path, new PiConversation(path)),
  },
  exitId: rows => exitIdAfter(rows, ['pi', '--session'], isUuid),
}

function agentDirectory(env: NodeJS.ProcessEnv): string {
  return movableDirectory(env, 'PI_CODING_AGENT_DIR', '.pi', 'agent')
}

/** `~/.pi/agent/sessions/--<directory, dashed>--/<time>_<session>.jsonl`. */
async function locateTranscripts({ env, cwd, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const moved = env.PI_CODING_AGENT_SESSION_DIR
  const sessions = moved !== undefined && isAbsolute(moved) ? moved : join(agentDirectory(env), 'sessions')
  if (agentSessionId !== null) {
    const isWanted = (name: string) => name.endsWith(`_${agentSessionId}.jsonl`)
    const folders = (await namesIn(sessions)).map(name => join(sessions, name))
    return writtenSince((await Promise.all(folders.map(folder => pathsIn(folder, isWanted)))).flat(), 0)
  }
  const here = join(sessions, `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`)
  return writtenSince(await pathsIn(here, name => name.endsWith('.jsonl')), startedAt)
}
