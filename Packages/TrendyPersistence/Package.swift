// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyPersistence",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "StorageTesting", targets: ["StorageTesting"]),
    .library(name: "TrendyPersistence", targets: ["TrendyPersistence"]),
  ],
  dependencies: [.package(path: "../TrendyModels"), .package(path: "../TrendyProtocols")],
  targets: [
    .target(name: "StorageTesting", dependencies: ["TrendyModels", "TrendyPersistence"]),
    .testTarget(name: "StorageTestingTests", dependencies: ["StorageTesting", "TrendyPersistence"]),
    .target(name: "TrendyPersistence", dependencies: ["TrendyModels", "TrendyProtocols"]),
    .testTarget(
      name: "TrendyPersistenceTests",
      dependencies: ["StorageTesting", "TrendyModels", "TrendyPersistence", "TrendyProtocols"],
      resources: [.copy("Resources")]),
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
