docker run -d --env-file .env --network host -p 8000:8000 registry.local/api:1
docker run -d --env-file elsewhere.env --network host -p 8001:8000 registry.local/api:1
