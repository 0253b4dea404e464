import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span, Tracer } from '@opentelemetry/api'

export interface TracingOptions {
  /** `http://collector:4318`; null: as the environment says, or none. */
  endpoint: string | null
  /** `signalbox-cli`, `signalbox-server` or `signalbox-worker`. */
  service: string
  version: string
  env: NodeJS.ProcessEnv
}

export interface Tracing {
  /** Sends what is left; no further span is recorded. */
  close(): Promise<void>
}

export interface SpanOptions {
  /** The W3C `traceparent` of what caused it; left out: the span in progress, if any. */
  parent?: string | null | undefined
  attributes?: Readonly<Record<string, string | number>>
}

interface Started {
  tracer: Tracer
  api: typeof import('@opentelemetry/api')
}

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
/** A collector that does not answer must not keep a command from ending. */
const FLUSH_MS = 2_000

// One for the process, as OpenTelemetry itself has it: spans begin far from where they are set up.
let started: Started | null = null
const active = new AsyncLocalStorage<Span>()

/** Starts to record spans of this process; null if no collector is named. */
export async function startTracing({ endpoint, service, version, env }: TracingOptions): Promise<Tracing | null> {
  const url = tracesUrl(endpoint, env)
  if (url === null || started) return null
  const [api, { OTLPTraceExporter }, { resourceFromAttributes }, { BasicTracerProvider, BatchSpanProcessor }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
    ])
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: FLUSH_MS })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  })
  started = { tracer: provider.getTracer('signalbox', version), api }
  return {
    close: async () => {
      started = null
      // Lost spans must not fail the program.
      await provider.shutdown().catch(() => undefined)
    },
  }
}

/** Records the work as a span; without a collector it is only carried out. */
export async function traced<T>(name: string, { parent, attributes }: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!started) return work()
  const { tracer, api } = started
  const span = tracer.startSpan(name, attributes ? { attributes: { ...attributes } } : {}, contextOf(api, parent))
  try {
    return await active.run(span, work)
  } catch (error) {
    span.recordException(error as Error)
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: (error as Error).message })
    throw error
  } finally {
    span.end()
  }
}

/** The `traceparent` of the span in progress, for what it causes in other processes. */
export function currentTrace(): string | undefined {
  const context = started ? active.getStore()?.spanContext() : undefined
  return context && `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

function contextOf(api: Started['api'], parent: string | null | undefined) {
  const [, traceId, spanId, flags] = PARENT.exec(parent ?? '') ?? []
  if (traceId && spanId)
    return api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags!, 16),
      isRemote: true,
    })
  const span = active.getStore()
  return span ? api.trace.setSpan(api.ROOT_CONTEXT, span) : api.ROOT_CONTEXT
}

function tracesUrl(endpoint: string | null, env: NodeJS.ProcessEnv): string | null {
  if (env.OTEL_SDK_DISABLED === 'true') return null
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = endpoint ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  return base ? `${base.replace(/\/$/, '')}/v1/traces` : null
}
