import Foundation
import TrendyNetworking

/// Secure storage of the token that identifies this device to the hub.
protocol TokenStore: Sendable {
  func token() throws -> String?
  func save(_ token: String) throws
}

/// Pairs this device with a hub and stores its token.
func pair(with hub: URL, code: String, deviceName: String, tokens: some TokenStore) async throws {
  let paired = try await APIClient.pair(baseURL: hub, code: code, deviceName: deviceName)
  try tokens.save(paired.token)
}

/// Returns a client that reads the token before each request.
func client(for hub: URL, tokens: some TokenStore) throws -> APIClient {
  try APIClient(baseURL: hub, token: { try tokens.token() })
}
