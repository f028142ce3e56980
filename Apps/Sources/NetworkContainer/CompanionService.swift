import AgentLink
public import TrendyAgent
import AppContainer
import CommandSupport
public import TrendyModels
import TrendyNetworking

/// Service that links companions to this device and unlinks them, both on the hub and on this device.
public struct CompanionService: Sendable {
  private let client: APIClient
  private let courier: CompanionTransport
  private let app: AppContainer
  private let deviceId: String

  /// Creates a service for the store's account on its hub.
  public init(network: NetworkContainer, account: Account) throws {
    client = try network.makeAPIClient(for: account)
    courier = try network.makeCourier(for: account)
    app = network.app
    deviceId = account.deviceId
  }

  /// Returns the user's other device with the given name or id.
  /// - Throws: ``CommandError`` with exit 66 if no device is found, or exit 64 if several have the name.
  public func device(named name: String) async throws -> APIDevice {
    let others = try await client.devices().filter { !$0.isCurrent }
    let named = others.filter { $0.id == name || $0.name.lowercased() == name.lowercased() }
    guard let device = named.first else {
      throw CommandError(
        "Device '\(name)' not found among your other devices",
        hint: others.isEmpty
          ? "Connect one first: trendyd pair on the hub, then trendy connect on the device."
          : "Devices: \(others.map(\.name).sorted().joined(separator: ", ")).", exit: .notFound)
    }
    guard named.count == 1 else {
      throw CommandError(
        "\(named.count) devices are named '\(name)'",
        hint: "Use one of the ids: \(named.map(\.id).sorted().joined(separator: ", "))", exit: .usage)
    }
    return device
  }

  /// Makes a device a companion of this device, which then sends trip notices to the companion.
  public func pair(_ device: APIDevice) async throws {
    _ = try await client.makeCompanion(deviceId: device.id)
    _ = try await courier.round()
    app.agent.send()
  }

  /// Makes this device a companion of another device. The other device needs no agent: when it posts positions, the hub
  /// sends the notices.
  public func follow(_ device: APIDevice) async throws {
    _ = try await client.makeCompanion(ofDevice: device.id)
    _ = try await courier.round()
    app.agent.send()
  }

  /// Removes all links between this device and another one, in both directions.
  /// - Returns: number of links removed, not counting links that the hub manages on behalf of a device.
  public func remove(deviceNamed name: String) async throws -> Int {
    let companions = try await client.companions().filter {
      !$0.isRemoved && APICompanion.device(of: $0.trackerId) == $0.trackerId
    }
    let meant = companions.filter { companion in
      let other =
        companion.trackerId == deviceId
        ? (companion.companionId, companion.companionName) : (companion.trackerId, companion.trackerName)
      return other.0 == name || other.1.lowercased() == name.lowercased()
    }
    guard !meant.isEmpty else {
      throw CommandError(
        "'\(name)' is not a companion of this device", hint: "List companions: trendy companion list",
        exit: .notFound)
    }
    for companion in meant { try await client.removeCompanion(id: companion.id) }
    _ = try await courier.round()
    app.agent.send()
    return meant.count
  }

  /// Returns all of the user's devices, sorted by name, and the links between them.
  public func list() async throws -> (devices: [APIDevice], companions: [APICompanion]) {
    (try await client.devices().sorted { ($0.name, $0.id) < ($1.name, $1.id) }, try await client.companions())
  }
}
