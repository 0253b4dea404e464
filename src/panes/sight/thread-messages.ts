import type { SightOptions, SightReply, SightRequest } from './messages.js'

/**
 * What the host and a thread that reads terminals send each other. Sessions are numbered from 1.
 */
export type ToThread = { session: number } & ({ open: SightOptions } | { request: SightRequest } | { close: true })

export type FromThread = { session: number } & ({ reply: SightReply } | { failed: string })

/**
 * What a thread writes to the memory that it shares with the host: whose turn it is, and how many
 * turns were.
 */
export const HEARTBEAT = { session: 0, count: 1 } as const
export const HEARTBEAT_BYTES = 8
