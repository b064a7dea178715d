import "reflect-metadata";
import { Module, type OnApplicationShutdown } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createApi } from "crm-integrations";
import { toExpressMiddleware } from "crm-integrations/express";
import { demoStorage } from "../demo-storage.ts";

const api = createApi({ storage: await demoStorage() });

@Module({})
class AppModule implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return api.close();
  }
}

const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
app.enableShutdownHooks();
// Mount the API before listen() adds the body parser of Nest, because the API reads the body itself.
app.use("/crm", toExpressMiddleware(api));
await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
process.stdout.write(`${await app.getUrl()}/crm/integrations/v1\n`);
