import type { AgentAdapter } from './adapter.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { interactiveBySession, type SessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: null,
  resume: id => ['--session', id],
  options: ['--session', '-s', '--continue', '-C'],
  subcommands: [
    'run',
    'login',
    'logout',
    'logs',
    'models',
    'projects',
    'schema',
    'server',
    'session',
    'stats',
    'update-providers',
  ],
  isId: word => !word.startsWith('-'),
}

/** Crush in a terminal, without a pack: its screen is read by structure. */
export const crushAgent: AgentAdapter = {
  name: 'crush',
  title: 'Crush',
  pack: null,
  programs: ['crush'],
  install: 'npm install -g @charmland/crush, or see https://github.com/charmbracelet/crush#installation',
  version: { args: ['--version'], pattern: /(\d+\.\d+\.\d+\S*)/ },
  reports: { osc7501: true, hooks: false, transcript: false, events: false },
  locate: environment => locateProgram(['crush'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY'],
      directory: movableDirectory(env, 'XDG_DATA_HOME', '.local', 'share'),
      files: [],
      next: 'run crush and choose a provider, or set its key',
      elsewhere: 'no key is set; one may be in its settings, which are not checked',
    }),
  interactive: interactiveBySession(SESSION),
}
