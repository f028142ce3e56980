// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "trendy-bench", targets: ["trendy-bench"]),
    .executable(name: "trendy-bench-hub", targets: ["trendy-bench-hub"]),
    .executable(name: "trendy-bench-sync", targets: ["trendy-bench-sync"]),
    .executable(name: "trendy-fuzz", targets: ["trendy-fuzz"]),
    .executable(name: "trendy-hostile", targets: ["trendy-hostile"]),
    .executable(name: "trendy-mutants", targets: ["trendy-mutants"]),
    .executable(name: "trendy-simulate", targets: ["trendy-simulate"]),
    .executable(name: "trendy-torture", targets: ["trendy-torture"]),
  ],
  dependencies: [
    .package(path: "../Packages/TrendyArchive"),
    .package(path: "../Packages/TrendyHub"),
    .package(path: "../Packages/TrendyInsights"),
    .package(path: "../Packages/TrendyInterchange"),
    .package(path: "../Packages/TrendyModels"),
    .package(path: "../Packages/TrendyNetworking"),
    .package(path: "../Packages/TrendyPersistence"),
    .package(path: "../Packages/TrendyProtocols"),
    .package(path: "../Packages/TrendySimulation"),
    .package(path: "../Packages/TrendySync"),
    .package(path: "../Packages/TrendyTesting"),
    .package(path: "../Packages/TrendyTrips"),
  ],
  targets: [
    .target(
      name: "Fuzzing",
      dependencies: [
        .product(name: "HubTesting", package: "TrendyHub"),
        .product(name: "StorageTesting", package: "TrendyPersistence"),
        "TrendyHub", "TrendyInterchange", "TrendyModels", "TrendyPersistence", "TrendyProtocols", "TrendySimulation",
        "TrendySync",
        "TrendyTesting",
      ]),
    .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing"]),
    .target(name: "HubConnection"),
    .target(name: "StoreBenchmark", dependencies: ["TrendyModels", "TrendyPersistence"]),
    .testTarget(name: "MutantsTests", dependencies: ["trendy-mutants"]),
    .testTarget(name: "StoreBenchmarkTests", dependencies: ["StoreBenchmark", "TrendyModels"]),
    .target(
      name: "SyncBenchmark",
      dependencies: [
        "TrendyHub", "TrendyModels", "TrendyNetworking", "TrendyPersistence", "TrendyProtocols", "TrendySync",
      ]),
    .testTarget(name: "SyncBenchmarkTests", dependencies: ["SyncBenchmark", "trendy-bench-sync"]),
    .testTarget(name: "TortureTests", dependencies: ["TrendyPersistence", "trendy-torture"]),
    .executableTarget(
      name: "trendy-bench",
      dependencies: [
        "HubConnection", "StoreBenchmark", "TrendyArchive", "TrendyInsights", "TrendyInterchange", "TrendyModels",
        "TrendyPersistence",
        "TrendyProtocols", "TrendyTesting", "TrendyTrips",
      ]),
    .executableTarget(
      name: "trendy-bench-hub",
      dependencies: ["HubConnection", "StoreBenchmark", "TrendyHub", "TrendyModels", "TrendyPersistence"]),
    .executableTarget(name: "trendy-bench-sync", dependencies: ["SyncBenchmark"]),
    .executableTarget(name: "trendy-fuzz", dependencies: ["Fuzzing"]),
    .executableTarget(name: "trendy-hostile", dependencies: ["TrendyHub"]),
    .executableTarget(name: "trendy-mutants"),
    .executableTarget(name: "trendy-simulate", dependencies: ["TrendySimulation"]),
    .executableTarget(name: "trendy-torture", dependencies: ["TrendyModels", "TrendyPersistence"]),
  ]
)

// Same in every manifest: upcoming features that Swift 7 will enable.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }
