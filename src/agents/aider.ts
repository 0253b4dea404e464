import type { AgentAdapter } from './adapter.js'
import { aiderHeadless } from './headless/aider.js'
import { homeDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { signInByNames } from './sign-in.js'

/**
 * Aider in a terminal: a line editor, no alternate screen. It has no conversation ids;
 * `--restore-chat-history` restores the last conversation from the project's
 * `.aider.chat.history.md`. It has no pack: its screen is read by structure.
 */
export const aiderAgent: AgentAdapter = {
  name: 'aider',
  title: 'aider',
  pack: null,
  programs: ['aider'],
  install: 'python -m pip install aider-install && aider-install, or see https://aider.chat/docs/install.html',
  version: { args: ['--version'], pattern: /aider (\d+\.\d+\.\d+\S*)/ },
  reports: { osc7501: false, hooks: false, transcript: false, events: false },
  headless: aiderHeadless,
  locate: environment => locateProgram(['aider'], environment, ['~/.local/bin/aider']),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: [
        'AIDER_OPENAI_API_KEY',
        'AIDER_ANTHROPIC_API_KEY',
        'OPENAI_API_KEY',
        'ANTHROPIC_API_KEY',
        'GEMINI_API_KEY',
        'DEEPSEEK_API_KEY',
        'OPENROUTER_API_KEY',
      ],
      directory: homeDirectory(env),
      files: ['.aider/oauth-keys.env'],
      next: 'set the key of a provider, for example OPENAI_API_KEY',
      elsewhere: 'no key is set; one may be in .env or .aider.conf.yml, which are not checked',
    }),
  interactive(location, { args, resume }) {
    const isContinued = resume !== null && !args.includes('--restore-chat-history')
    return {
      file: location.file,
      args: [...location.prefix, ...(isContinued ? ['--restore-chat-history'] : []), ...args],
      env: {},
      agentSessionId: null,
    }
  },
}
