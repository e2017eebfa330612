export function buildAssets(root: string): Promise<void>;
