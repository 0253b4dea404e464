/*
 * Tokens that are known by how they begin, as data. Services give their tokens such prefixes so
 * that scanners find them. A row: the name in the marker, the prefix, and the characters after it
 * with the least number of them. A new service: a row; the test makes a sample of it.
 */

const WORD = 'A-Za-z0-9'
const WORD_DASH = 'A-Za-z0-9_-'
const HEX = 'a-f0-9'

export interface TokenShape {
  kind: string
  prefix: string
  characters: string
  atLeast: number
}

const shape = (kind: string, prefix: string, characters: string, atLeast: number): TokenShape => ({
  kind,
  prefix,
  characters,
  atLeast,
})

export const TOKEN_SHAPES: readonly TokenShape[] = [
  // Code, packages, delivery
  ...['glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-'].map(prefix =>
    shape('gitlab-token', prefix, WORD_DASH, 16),
  ),
  shape('bitbucket-token', 'ATBB', WORD, 28),
  shape('atlassian-token', 'ATATT3', `=${WORD_DASH}`, 40),
  shape('pypi-token', 'pypi-AgE', WORD_DASH, 40),
  shape('rubygems-token', 'rubygems_', HEX, 40),
  shape('docker-token', 'dckr_pat_', WORD_DASH, 20),
  shape('docker-token', 'dckr_oat_', WORD_DASH, 20),
  shape('terraform-token', '.atlasv1.', `=${WORD_DASH}`, 50),
  shape('vault-token', 'hvs.', WORD_DASH, 24),
  shape('vault-token', 'hvb.', WORD_DASH, 24),
  shape('pulumi-token', 'pul-', HEX, 40),
  shape('doppler-token', 'dp.pt.', WORD, 40),
  shape('sentry-token', 'sntrys_', `+/=${WORD_DASH}`, 40),
  shape('sentry-token', 'sntryu_', HEX, 40),
  shape('grafana-token', 'glsa_', WORD_DASH, 32),
  shape('grafana-token', 'glc_', `${WORD}+/=`, 32),
  shape('newrelic-key', 'NRAK-', WORD, 27),
  shape('postman-key', 'PMAK-', `${WORD}-`, 40),
  // Clouds
  shape('aws-key', 'ABIA', 'A-Z0-9', 16),
  shape('aws-key', 'ACCA', 'A-Z0-9', 16),
  shape('google-token', 'ya29.', WORD_DASH, 20),
  shape('google-secret', 'GOCSPX-', WORD_DASH, 24),
  shape('digitalocean-token', 'dop_v1_', HEX, 40),
  shape('digitalocean-token', 'doo_v1_', HEX, 40),
  shape('alibaba-key', 'LTAI', WORD, 16),
  shape('databricks-token', 'dapi', HEX, 32),
  shape('supabase-token', 'sbp_', HEX, 40),
  shape('planetscale-token', 'pscale_tkn_', WORD_DASH, 32),
  shape('planetscale-password', 'pscale_pw_', WORD_DASH, 32),
  shape('age-key', 'AGE-SECRET-KEY-1', 'A-Z0-9', 50),
  // Models
  shape('huggingface-token', 'hf_', WORD, 30),
  shape('groq-key', 'gsk_', WORD, 40),
  shape('xai-key', 'xai-', WORD, 40),
  shape('perplexity-key', 'pplx-', WORD, 40),
  shape('replicate-token', 'r8_', WORD, 36),
  // Payment, mail, messages, documents
  shape('stripe-key', 'sk_live_', WORD, 16),
  shape('stripe-key', 'sk_test_', WORD, 16),
  shape('stripe-key', 'rk_live_', WORD, 16),
  shape('stripe-secret', 'whsec_', `${WORD}+/=`, 24),
  shape('square-token', 'sq0atp-', WORD_DASH, 22),
  shape('square-secret', 'sq0csp-', WORD_DASH, 40),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map(prefix => shape('shopify-token', prefix, HEX, 32)),
  shape('sendgrid-key', 'SG.', `.${WORD_DASH}`, 60),
  shape('brevo-key', 'xkeysib-', `${HEX}-`, 60),
  shape('slack-app-token', 'xapp-', WORD_DASH, 24),
  shape('linear-key', 'lin_api_', WORD, 32),
  shape('notion-token', 'ntn_', WORD, 40),
  shape('figma-token', 'figd_', WORD_DASH, 32),
  // Addresses that are secrets
  shape('slack-webhook', 'https://hooks.slack.com/services/', `${WORD}/`, 24),
  shape('discord-webhook', 'https://discord.com/api/webhooks/', `/${WORD_DASH}`, 40),
]

const OWN = /^([a-z][a-z0-9-]{0,23}) (\S{3,40})(?: ([1-9]\d{0,2}))?$/

/**
 * A token of a person's settings: `<name> <prefix> [<least number of characters after it>]`. Null
 * for any other text. Its characters are those of words: a person writes no expression, so none can
 * be slow.
 */
export function parseTokenShape(text: string): TokenShape | null {
  const [, kind, prefix, atLeast = '16'] = OWN.exec(text) ?? []
  if (kind === undefined || prefix === undefined) return null
  return shape(kind, prefix, `.=+/${WORD_DASH}`, Number(atLeast))
}
