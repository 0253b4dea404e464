import type { AgentUnderTest } from '../agent-under-test.js'

export const kimi: AgentUnderTest = {
  name: 'kimi',
  package: '@moonshot-ai/kimi-code',
  version: '2.1.0',
  // It does not run on the oldest Node that Signalbox supports.
  also: [`node-${process.platform}-${process.arch}@22`],
  program: 'kimi',
  acpCommand: ['kimi', 'acp'],
  prepare: () => undefined,
  env: ({ model }) => ({
    KIMI_MODEL_NAME: 'test-model',
    KIMI_MODEL_API_KEY: 'dummy-not-a-key',
    KIMI_MODEL_BASE_URL: `${model}/v1`,
    KIMI_MODEL_PROVIDER_TYPE: 'openai',
    KIMI_CODE_NO_AUTO_UPDATE: '1',
  }),
  shell: command => ({ name: 'Bash', input: { command } }),
  denialContinues: true,
  clientTerminals: true,
}
