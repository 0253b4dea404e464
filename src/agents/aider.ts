import type { AgentAdapter } from './adapter.js'
import { aiderHeadless } from './headless/aider.js'
import { homeDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { signInByNames } from './sign-in.js'

/**
 * Aider, as it is started in a terminal: a line editor, no alternate screen. It names no conversations; what it keeps of the last one in the
 * project's `.aider.chat.history.md` comes back with `--restore-chat-history`. Read by structure: there is no pack for it.
 */
export const aiderAgent: AgentAdapter = {
  name: 'aider',
  title: 'aider',
  pack: null,
  programs: ['aider'],
  install: 'python -m pip install aider-install && aider-install, or see https://aider.chat/docs/install.html',
  version: { args: ['--version'], pattern: /aider (\d+\.\d+\.\d+\S*)/ },
  tells: { osc7501: false, hooks: false, transcript: false, events: false },
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
      next: 'set the key of a provider, for instance OPENAI_API_KEY',
      elsewhere: 'no key is set; one may be in .env or .aider.conf.yml, which are not looked at',
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
