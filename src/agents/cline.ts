import type { AgentAdapter } from './adapter.js'
import { clineData, clineTranscript } from './cline-transcript.js'
import { exitIdAfter } from './exit-id.js'
import { clineHeadless } from './headless/cline.js'
import { locateProgram } from './locate-program.js'
import { interactiveBySession, type SessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: null,
  resume: id => ['--id', id],
  options: ['--id'],
  subcommands: [
    'auth',
    'config',
    'plugin',
    'skill',
    'connect',
    'mcp',
    'doctor',
    'history',
    'h',
    'hook',
    'schedule',
    'hub',
  ],
  isId: isClineId,
}

/** Cline in a terminal. It approves all tools itself unless started with `--auto-approve false`. */
export const clineAgent: AgentAdapter = {
  name: 'cline',
  title: 'Cline',
  pack: 'cline',
  programs: ['cline'],
  install: 'npm install -g cline, or see https://docs.cline.bot/cline-cli/installation',
  version: { args: ['--version'], pattern: /(\d+\.\d+\.\d+\S*)/ },
  reports: { osc7501: false, hooks: false, transcript: true, events: false },
  locate: environment => locateProgram(['cline'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: [],
      directory: clineData(env),
      files: ['settings/providers.json'],
      next: 'run cline auth',
    }),
  interactive: interactiveBySession(SESSION),
  transcript: clineTranscript,
  headless: clineHeadless,
  exitId: rows => exitIdAfter(rows, ['cline', '--id'], isClineId),
}

/** `1794709574642_u1s7x`: the start time and a few letters. */
function isClineId(word: string): boolean {
  return /^\d{10,16}_[\w-]{3,16}$/.test(word)
}
