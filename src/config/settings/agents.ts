import { boolean, integer, number, oneOf, string, strings, table } from '../setting.js'

/**
 * Agents, their prices, their environment, and the projects that they work in. `*` stands for a
 * name that the person chooses.
 */
export const agentSettings = {
  agents: {
    '*': {
      command: string(null, 'Program to start; none finds the agent’s usual program in PATH.'),
      args: strings([], 'Arguments that come before all others.'),
      env: table('Environment variables that are set for the agent.', { isSecret: true }),
      max_parallel: integer(null, 'Steps of this agent that may run at the same time; none means no limit.', {
        min: 1,
        max: 1000,
        project: 'lower',
      }),
      hooks: boolean(true, 'Give sessions of this agent hooks that report to Signalbox.', { project: 'off' }),
      heuristics: oneOf(['inherit', 'off'], 'inherit', 'Judge this agent as `heuristics.mode` says, or never.', {
        project: 'later',
      }),
    },
  },

  prices: {
    '*': {
      input: number(
        null,
        'Price of a million input tokens of this model in USD; used where the agent reports no cost.',
        { min: 0 },
      ),
      output: number(null, 'Price of a million output tokens of this model in USD.', { min: 0 }),
      cache_read: number(null, 'Price of a million cached input tokens in USD; none: the price of input.', { min: 0 }),
    },
  },

  env: {
    pass: strings([], 'Further environment variables that the daemon passes to processes it starts.', {
      pattern: /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
      form: 'names of variables, perhaps with * at the end',
    }),
  },

  projects: {
    roots: strings([], 'Directories whose repositories are offered as projects.'),
  },
}
