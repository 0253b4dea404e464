import type { Scenario, Step } from '../scenario/types.js'

const WORK: Step[] = [
  { think: { ms: 800, label: 'Working' } },
  { tool: { name: 'Edit', kind: 'edit', append: { path: 'DEMO.md', text: '- done by the demo agent\n' } } },
  { say: { markdown: 'The work is done: `DEMO.md` has a new line.' } },
]

export const zombie: Scenario = {
  name: 'zombie',
  description: 'finishes its work and writes it down, then hangs (prompt with "die": is killed) without saying so',
  turns: [
    { match: 'die', steps: [...WORK, { zombie: { end: 'signal', signal: 'SIGKILL' } }] },
    { match: '/exit/i', steps: [...WORK, { zombie: { end: 'exit', exit: 3 } }] },
    { steps: [...WORK, { zombie: { end: 'hang' } }] },
  ],
  otherwise: { steps: [{ say: { markdown: 'I am back from the dead.' } }] },
}

export const crash: Scenario = {
  name: 'crash',
  description: 'dies in the middle of a sentence (exit 3; prompt with "kill": by SIGKILL)',
  turns: [
    {
      match: 'kill',
      steps: [{ think: { ms: 500 } }, { say: { markdown: 'I was just about to' } }, { crash: { signal: 'SIGKILL' } }],
    },
    { steps: [{ think: { ms: 500 } }, { say: { markdown: 'I was just about to' } }, { crash: { exit: 3 } }] },
  ],
  otherwise: { steps: [{ say: { markdown: 'This time I stay alive.' } }] },
}

export const hang: Scenario = {
  name: 'hang',
  description: 'starts to work and never continues; ignores SIGTERM if the prompt says "deaf"',
  turns: [
    {
      match: 'deaf',
      steps: [
        { ignoreTerm: { on: true } },
        { fork: { count: 2, detached: true } },
        { think: { ms: 400 } },
        { hang: {} },
      ],
    },
    { steps: [{ think: { ms: 400, label: 'Waiting for a train' } }, { hang: {} }] },
  ],
}

export const huge: Scenario = {
  name: 'huge',
  description: 'prints 20 000 rows as an answer, then a tool result of 1 MB',
  turns: [
    {
      steps: [
        { say: { markdown: 'Here it comes.' } },
        { huge: { lines: 20_000 } },
        { huge: { bytes: 1_000_000, as: 'tool' } },
        { say: { markdown: 'That was all.' } },
      ],
    },
  ],
}

export const long: Scenario = {
  name: 'long',
  description: 'a long quiet turn: agents, a background command, retries, compaction, a survey',
  turns: [
    {
      steps: [
        { think: { ms: 6000, label: 'Thinking hard', thought: 'This will take a while.' } },
        {
          agents: {
            agents: [
              { name: 'reviewer', task: 'Read every signal plan', ms: 6000 },
              { name: 'tester', task: 'Try every route twice', ms: 4000 },
              { name: 'writer', task: 'Write down what was found', ms: 8000, tokens: 4200 },
            ],
          },
        },
        { background: { command: 'sleep 20', label: 'watch the line' } },
        {
          error: {
            kind: 'api',
            message: 'Overloaded',
            status: 529,
            retry: { attempts: 3, delayMs: 2000 },
            final: false,
          },
        },
        { compact: { ms: 3000 } },
        { say: { markdown: 'Everything was looked at. One command still runs in the background.' } },
        { survey: { question: 'How was this turn?' } },
      ],
    },
  ],
}

export const errors: Scenario = {
  name: 'errors',
  description: 'turns that fail: "limit", "auth", "network", "context"; else an overloaded API after three retries',
  turns: [
    {
      match: 'limit',
      steps: [
        { think: { ms: 300 } },
        { error: { kind: 'usage_limit', message: 'Usage limit reached · resets 3:45 pm', status: 429 } },
      ],
    },
    { match: 'auth', steps: [{ think: { ms: 300 } }, { auth: { method: 'expired' } }] },
    {
      match: 'network',
      steps: [{ think: { ms: 300 } }, { error: { kind: 'network', message: 'Connection refused' } }],
    },
    {
      match: 'context',
      steps: [
        { think: { ms: 300 } },
        { error: { kind: 'context_full', message: 'The conversation is too long · run /compact' } },
      ],
    },
    {
      steps: [
        { think: { ms: 300 } },
        {
          error: {
            kind: 'api',
            message: 'Overloaded',
            status: 529,
            retry: { attempts: 3, delayMs: 1000 },
            final: true,
          },
        },
      ],
    },
  ],
  otherwise: { steps: [{ error: { kind: 'api', message: 'Overloaded', status: 529 } }] },
}

export const trust: Scenario = {
  name: 'trust',
  description: 'asks whether the folder is trusted before it takes a prompt',
  start: [{ trust: {} }],
  turns: [],
}

export const login: Scenario = {
  name: 'login',
  description: 'must be signed in before it takes a prompt',
  start: [{ auth: { method: 'login' } }],
  turns: [],
}

/** Bytes that must not break any reader: invalid UTF-8, half an object, text between records. */
export const garbage: Scenario = {
  name: 'garbage',
  description: 'headless: invalid UTF-8, half a JSON object and plain text between good records',
  turns: [
    {
      steps: [
        { say: { markdown: 'Before the noise.' } },
        { raw: { base64: '//7AgAo=' } },
        { raw: { text: 'warning: this line is no JSON\n{"type":"text","te\n' } },
        { say: { markdown: 'After the noise.' } },
      ],
    },
  ],
}
