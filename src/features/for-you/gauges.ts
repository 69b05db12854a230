// What each serving thread reports about For You: pages, by what they were made of.

export const gauges = ['for-you.pages', 'for-you.first_pages', 'for-you.empty'] as const
