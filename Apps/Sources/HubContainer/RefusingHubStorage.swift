import TrendyHub

/// Stand-in for hub storage that is not available. Every operation throws the same error.
struct RefusingHubStorage: HubStorage {
  let error: any Error

  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result { throw error }
  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result { throw error }
  func erase(user: String) throws { throw error }
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result { throw error }
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result { throw error }
  func acquireExclusiveAccess() throws -> (any Sendable)? { throw error }
  func checkReady() throws { throw error }
}
