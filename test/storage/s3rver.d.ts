/** What the tests use of this package, which has no types. */
declare module "s3rver" {
  export default class S3rver {
    constructor(options: object);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
