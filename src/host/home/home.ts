import { join } from 'node:path'
import type { ApprovalPolicy } from '../../approvals/index.js'
import {
  type Config,
  type Directories,
  ensureDirectories,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  parseSize,
  resolveDirectories,
  socketPath,
} from '../../config/index.js'
import type { Prices } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { parseTokenShape, useTokenShapes } from '../../text/index.js'
import type { BudgetSettings, HostSettings } from '../settings.js'
import { publicAddress } from './public-address.js'

/** A home directory: where its files are, its effective settings, and those of a host. */
export interface Home {
  directories: Directories
  loaded: LoadedConfig
  settings: HostSettings
}

/**
 * Reads and checks the home directory that the environment names. With `projectFile`, the settings
 * of that project apply too.
 * @throws SignalboxError `E_CONFIG` with every mistake, before anything is started.
 */
export function openHome(
  { env }: { env: NodeJS.ProcessEnv },
  { projectFile }: Pick<LoadOptions, 'projectFile'> = {},
): Home {
  const directories = resolveDirectories(env, env.HOME)
  ensureDirectories(directories)
  const settingsFile = join(directories.config, 'config.toml')
  const loaded = loadConfig({ environment: env, userFile: settingsFile, ...(projectFile && { projectFile }) })
  const { config } = loaded
  const now = () => loadConfig({ environment: env, userFile: settingsFile }).config
  useTokenShapes(config.secrets.tokens.map(readTokenShape))
  return {
    directories,
    loaded,
    settings: {
      dataDirectory: directories.data,
      ...(config.store.url !== null && {
        sharedStore: { url: config.store.url, passwordFile: config.store.password_file },
      }),
      runtimeDirectory: directories.runtime,
      daemonSocket: socketPath(directories, 'signalbox.sock'),
      keeperSocket: socketPath(directories, 'keeper.sock'),
      hookSocket: socketPath(directories, 'sandbox/hooks.sock'),
      packDirectory: join(directories.config, 'packs'),
      settingsFile,
      size: parseSize(config.terminal.size),
      scrollback: config.terminal.scrollback,
      threads: config.terminal.threads,
      maxSessions: config.sessions.max_total,
      minFreeMb: config.store.min_free_mb,
      envPass: config.env.pass,
      maxRuns: config.runs.max_concurrent,
      endpoint:
        config.oneshot.endpoint === null
          ? null
          : { url: config.oneshot.endpoint, apiKeyEnv: config.oneshot.api_key_env },
      prices: pricesOf(config.prices),
      maxParallel: Object.fromEntries(
        Object.entries(config.agents).map(([name, { max_parallel: most }]) => [name, most]),
      ),
      approvals: approvalPolicy(config),
      sandbox: {
        use: config.sandbox.use,
        policy: {
          network: config.sandbox.network,
          hosts: config.sandbox.hosts,
          read: config.sandbox.read,
          write: config.sandbox.write,
          env: config.sandbox.env,
        },
        packs: join(directories.config, 'packs'),
        hidden: [directories.config, directories.data, directories.state, directories.runtime],
      },
      supervision: config,
      // These apply without a restart; `appliesAtOnce` lists their keys.
      notify: () => now().notify,
      budgets: () => budgetsOf(now()),
      ...publicAddress(config.server),
      sessions: {
        times: {
          transcriptWaitMs: config.sessions.transcript_wait_ms,
          readyTimeoutMs: config.sessions.ready_timeout_s * 1000,
          silenceMs: config.sessions.silence_warning_min * 60_000,
          authGraceMs: config.sessions.auth_grace_s * 1000,
          readyWaitMs: config.send.ready_wait_ms,
          typingRepeatMs: config.sessions.typing_repeat_ms,
        },
        maxPerPerson: config.sessions.max_per_person,
        snapshotMs: config.sessions.snapshot_s * 1000,
      },
      keepDays: config.store.keep_days,
      files: {
        uploadMaxMb: config.files.upload_max_mb,
        downloadMaxMb: config.files.download_max_mb,
        quotaMb: config.files.session_quota_mb,
        keepMs: config.files.keep_h * 3_600_000,
      },
      hooks: {
        isEnabled: config.hooks.enabled,
        offFor: Object.keys(config.agents).filter(name => config.agents[name]?.hooks === false),
        hold: config.approvals.hold,
      },
      agents: Object.fromEntries(Object.entries(config.agents).map(([name, { args, env }]) => [name, { args, env }])),
      commands: Object.fromEntries(
        Object.entries(config.agents).flatMap(([name, { command }]) => (command === null ? [] : [[name, command]])),
      ),
    },
  }
}

function budgetsOf({ sessions, runs }: Config): BudgetSettings {
  return { session: { usd: sessions.max_cost, tokens: sessions.max_tokens }, dayUsd: runs.day_usd }
}

/** A model needs both prices, for input and for output, to have a price. */
function pricesOf(prices: Config['prices']): Prices {
  return Object.fromEntries(
    Object.entries(prices).flatMap(([model, { input, output, cache_read: cacheRead }]) =>
      input === null || output === null
        ? []
        : [[model, { input, output, ...(cacheRead !== null && { cacheRead }) }] as const],
    ),
  )
}

export function approvalPolicy(config: Config): ApprovalPolicy {
  const stepUp = config.approvals.step_up
  return {
    decideFrom: config.approvals.decide_from,
    // A public server can be reached from a stolen browser or phone.
    stepUp: stepUp === 'on' || (stepUp === 'auto' && config.server.public),
    grantForMs: Math.min(config.approvals.grant_for, config.approvals.grant_max) * 1000,
    grantMaxMs: config.approvals.grant_max * 1000,
    grantUses: config.approvals.grant_uses,
    expireAfterMs: config.approvals.expire_after === null ? null : config.approvals.expire_after * 1000,
    maxPending: config.approvals.max_pending,
    unproven: config.approvals.unproven,
    keepMs: config.approvals.keep_days * 86_400_000,
  }
}

/** @throws SignalboxError `E_CONFIG` */
function readTokenShape(text: string): NonNullable<ReturnType<typeof parseTokenShape>> {
  const shape = parseTokenShape(text)
  if (shape) return shape
  throw new SignalboxError('E_CONFIG', `secrets.tokens: "${text}" does not describe a token`, {
    next: 'write a name, the prefix and the minimum number of characters after it: "acme-token acme_live_ 20"',
  })
}
