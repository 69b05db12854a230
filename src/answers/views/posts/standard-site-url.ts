// Whether an article or a publication is at the address that a link names, as the reference judges it: the publication's
// address (or the site's, for an article without one) followed by the article's path. Hosts' letters, queries,
// fragments and a slash at the end make no difference.

/**
 * Platforms where an author has everything below an article's address: their further paths (pages, revisions) are the
 * article, too. The reference's list.
 */
const WITH_SUBPATHS = ['pckt.blog', 'leaflet.pub', 'offprint.app']

/** @param base - address of the publication or site; `path`: of the article in it */
export function isArticleAt(link: string, base: string, path = ''): boolean {
  const [requested, own] = [plainUrl(link), plainUrl(joined(base, path))]
  if (requested === undefined || own === undefined) return false
  return requested === own || (hasSubpaths(requested) && requested.startsWith(`${own}/`))
}

export function isPublicationAt(link: string, base: string): boolean {
  const requested = plainUrl(link)
  return requested !== undefined && requested === plainUrl(base)
}

function plainUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`
}

/** A path's own slash does not lead to the root of the host, as it would by `new URL(path, base)`. */
function joined(base: string, path: string): string {
  if (path === '') return base
  return `${base.replace(/\/$/, '')}/${path.replace(/^\//, '')}`
}

function hasSubpaths(url: string): boolean {
  const { host } = new URL(url)
  return WITH_SUBPATHS.some((domain) => host === domain || host.endsWith(`.${domain}`))
}
