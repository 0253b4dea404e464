import type { Scenario } from '../scenario/types.js'

/** Answers without tools: every kind of block that an answer can contain. */
export const chat: Scenario = {
  name: 'chat',
  description: 'answers in prose, lists, code, tables, quotes; wide characters too',
  topic: 'A conversation',
  turns: [
    {
      match: '/wide|unicode|日本/i',
      steps: [
        { think: { ms: 400 } },
        {
          say: {
            markdown:
              '漢字とかな交じりの文章も、端で正しく折り返されます。これは幅の広い文字の試験です。\n\n- 信号 signal\n- 列車 train',
          },
        },
      ],
    },
    {
      match: '/\\bcode\\b/i',
      steps: [
        { think: { ms: 600 } },
        {
          say: {
            markdown:
              'A signal in TypeScript:\n\n```ts\nexport type Aspect = \'danger\' | \'caution\' | \'clear\'\n\n// Never show clear while the block ahead is taken.\nexport function aspectOf(blocksFree: number): Aspect {\n  if (blocksFree === 0) return "danger"\n  return blocksFree === 1 ? "caution" : "clear"\n}\n```\n\nand from the shell:\n\n```sh\nnpm test -- --watch # until it is green\n```',
          },
        },
      ],
    },
    {
      match: '/\\btable\\b/i',
      steps: [
        { think: { ms: 500 } },
        {
          say: {
            markdown:
              '| aspect | meaning | speed |\n|:--|:--|--:|\n| red | stop | 0 |\n| yellow | expect to stop at the **next** signal, so begin to brake now | 60 |\n| green | go | 160 |',
          },
        },
      ],
    },
    {
      steps: [
        { think: { ms: 900, label: 'Thinking it over', thought: 'A friendly greeting.' } },
        {
          say: {
            markdown:
              '# Hello\n\nI am a **scripted** agent: I speak from a file, but my terminal is *real*. You said: `{{prompt}}`\n\n- I can show lists\n  - with a second level\n- and `inline code`\n- [x] and finished things\n\n> The signalman sees every train, and the interlocking makes an unsafe move impossible.\n\nAsk me for *code*, a *table* or *unicode*.',
          },
        },
      ],
    },
  ],
}
